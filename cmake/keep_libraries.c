/* Linked into programs built with sanitizers: libraries stay loaded until the end.
 *
 * OpenGL drivers are opened and closed at run time. The leak report comes after that, and can no longer say whose a
 * block was; with the library still there, tests/lsan.supp names it. */
int dlclose(void* handle) {
    (void)handle;
    return 0;
}
