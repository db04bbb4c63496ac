#include "app/commands/command_line.h"
#include "core/files/temporaries.h"

int main(int argc, char** argv) {
    heed::clean_up_on_signals();
    return heed::app::run_command_line(argc, argv);
}
