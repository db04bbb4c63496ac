#include "app/commands/command_line.h"

int main(int argc, char** argv) { return heed::app::run_command_line(argc, argv); }
