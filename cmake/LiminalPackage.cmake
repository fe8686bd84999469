# What is in the packages, and how CPack makes them; script/package is the command.
#
# Two components: `deb` with the program that shares the libraries of Debian, `tarball` with the one
# that needs nothing but glibc and is laid out for any prefix, ~/.local for example.

set(LB_PACKAGE_DIR "${CMAKE_BINARY_DIR}/packaging")
set(deb_doc share/doc/liminal-builder)

# lb_package_files(COMPONENT PROGRAM DOC_DIR): the man page and the unit as this package needs them.
function(lb_package_files component LB_SERVICE_PROGRAM LB_MAN_DOC_DIR)
  configure_file(packaging/liminal-builder.1.in "${LB_PACKAGE_DIR}/${component}/liminal-builder.1" @ONLY)
  configure_file(packaging/liminal-builder.service.in
    "${LB_PACKAGE_DIR}/${component}/liminal-builder.service" @ONLY)
endfunction()
lb_package_files(deb /usr/bin/liminal-builder /usr/share/doc/liminal\\-builder/)
lb_package_files(tarball %h/.local/bin/liminal-builder "share/doc/liminal\\-builder/ of the prefix")

# The newest section of CHANGELOG.md is this version; its date is the date of the packages.
file(STRINGS CHANGELOG.md released REGEX "^## [0-9]" LIMIT_COUNT 1)
if(NOT released MATCHES "^## ${PROJECT_VERSION}, ([0-9-]+)$")
  message(FATAL_ERROR "CHANGELOG.md must begin with `## ${PROJECT_VERSION}, DATE`, not: ${released}")
endif()
execute_process(COMMAND date --utc --rfc-email --date "${CMAKE_MATCH_1}"
  OUTPUT_VARIABLE LB_RELEASED OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS CHANGELOG.md)
# There is no address to write to.
set(CPACK_PACKAGE_CONTACT "The Liminal Builder authors <authors@liminal-builder.invalid>")
file(CONFIGURE OUTPUT "${LB_PACKAGE_DIR}/deb/changelog.Debian" @ONLY CONTENT
"liminal-builder (@PROJECT_VERSION@-1) unstable; urgency=medium

  * Packaged by script/package; what changed is in changelog.gz.

 -- @CPACK_PACKAGE_CONTACT@  @LB_RELEASED@
")

# Debian wants man page and changelog compressed, the same bytes from every build.
set(compressed "")
foreach(file "${LB_PACKAGE_DIR}/deb/liminal-builder.1" "${LB_PACKAGE_DIR}/deb/changelog.Debian"
    "${CMAKE_SOURCE_DIR}/CHANGELOG.md")
  get_filename_component(name "${file}" NAME)
  string(REPLACE CHANGELOG.md changelog name "${name}")
  set(packed "${LB_PACKAGE_DIR}/deb/${name}.gz")
  add_custom_command(OUTPUT "${packed}" COMMAND gzip -9nc "${file}" > "${packed}"
    DEPENDS "${file}" VERBATIM)
  list(APPEND compressed "${packed}")
endforeach()
add_custom_target(package_files DEPENDS ${compressed})

file(GLOB documents CONFIGURE_DEPENDS docs/*.md docs/*.json)

install(TARGETS liminal-builder DESTINATION bin COMPONENT deb)
install(FILES "${LB_PACKAGE_DIR}/deb/liminal-builder.1.gz" DESTINATION share/man/man1 COMPONENT deb)
install(FILES "${LB_PACKAGE_DIR}/deb/liminal-builder.service"
  DESTINATION lib/systemd/user COMPONENT deb)
install(FILES packaging/completions/_liminal-builder
  DESTINATION share/zsh/vendor-completions COMPONENT deb)
install(FILES "${LB_PACKAGE_DIR}/deb/changelog.gz" "${LB_PACKAGE_DIR}/deb/changelog.Debian.gz"
  DESTINATION ${deb_doc} COMPONENT deb)

if(TARGET liminal-builder-portable)
  install(TARGETS liminal-builder-portable DESTINATION bin COMPONENT tarball)
  install(FILES "${LB_PACKAGE_DIR}/tarball/liminal-builder.1"
    DESTINATION share/man/man1 COMPONENT tarball)
  install(FILES "${LB_PACKAGE_DIR}/tarball/liminal-builder.service"
    DESTINATION share/systemd/user COMPONENT tarball)
  install(FILES packaging/completions/_liminal-builder
    DESTINATION share/zsh/site-functions COMPONENT tarball)
  install(FILES LICENSE CHANGELOG.md packaging/apache-2.0.txt
    DESTINATION ${deb_doc} COMPONENT tarball)
endif()

foreach(component deb tarball)
  install(FILES packaging/completions/liminal-builder.bash RENAME liminal-builder
    DESTINATION share/bash-completion/completions COMPONENT ${component})
  install(FILES README.md packaging/copyright DESTINATION ${deb_doc} COMPONENT ${component})
  install(FILES ${documents} DESTINATION ${deb_doc}/docs COMPONENT ${component})
endforeach()

set(CPACK_PACKAGE_NAME liminal-builder)
set(CPACK_PACKAGE_VENDOR "The Liminal Builder authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "all your coding agents in one browser window")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Starts AI coding CLIs (Claude Code, Codex, Gemini, OpenCode and any agent
that speaks ACP), keeps every conversation, and shows all of them in the
browser: projects, sessions, a chat that streams, tool calls, approvals,
history. Programs drive the same sessions over HTTP, WebSocket and SSE.

It listens on loopback only. The agents themselves are not part of it; a
demo agent is.")
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ca-certificates, git, xdg-utils")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "npm")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_FILE_NAME
  "liminal-builder-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_PACKAGE_DIRECTORY "${CMAKE_BINARY_DIR}/packages")
set(CPACK_GENERATOR "DEB;TXZ")
set(CPACK_PROJECT_CONFIG_FILE "${CMAKE_SOURCE_DIR}/cmake/cpack_per_generator.cmake")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
include(CPack)
