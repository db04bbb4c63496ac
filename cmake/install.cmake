# cmake --install, and a Debian package with cpack -G DEB. The program carries its data inside itself, so the binary is
# all that must be copied; the rest is for the desktop, the shell and the reader.

include(GNUInstallDirs)

install(TARGETS heed RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")

function(heed_install file destination)
    if(EXISTS "${PROJECT_SOURCE_DIR}/${file}")
        install(FILES "${PROJECT_SOURCE_DIR}/${file}" DESTINATION "${destination}" ${ARGN})
    endif()
endfunction()

heed_install(assets/heed.1 "${CMAKE_INSTALL_MANDIR}/man1")
heed_install(assets/heed.desktop "${CMAKE_INSTALL_DATADIR}/applications")
heed_install(assets/heed.bash "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME heed)
heed_install(assets/icons/heed.svg "${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps")
heed_install(assets/icons/heed.png "${CMAKE_INSTALL_DATADIR}/icons/hicolor/256x256/apps")
heed_install(README.md "${CMAKE_INSTALL_DOCDIR}")
heed_install(CHANGELOG.md "${CMAKE_INSTALL_DOCDIR}")
heed_install(LICENSE "${CMAKE_INSTALL_DOCDIR}" RENAME copyright)
if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/assets/scenes")  # to read, change and open; the program has its own copy
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/assets/scenes" DESTINATION "${CMAKE_INSTALL_DATADIR}/heed")
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heed)
set(CPACK_PACKAGE_VENDOR "Heed")
set(CPACK_PACKAGE_CONTACT "The Heed authors <heed@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "Heed computes attention as the papers define it, shows every stage of every head,
and lets you change anything and see what follows. Figures are exported as PNG, SVG
and PDF; every computation is also a command.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What the program opens at run time, where the linker does not see it: OpenGL drivers and fonts.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libegl1, libopengl0, libgl1, libgl1-mesa-dri, libegl-mesa0, fonts-wqy-microhei | fonts-noto-cjk")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-inter, fonts-jetbrains-mono")
include(CPack)
