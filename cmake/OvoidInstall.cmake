# Install rules: libraries, headers, the command, pkg-config files and the CMake package. Everything
# installed finds its neighbours relative to itself, so the tree can be moved afterwards.

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/ovoid")
set(pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
set(generated_dir "${PROJECT_BINARY_DIR}/package")

# ---- core

install(
  TARGETS ovoid
  EXPORT ovoidTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
  INCLUDES
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/include/ovoid"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING
  PATTERN "*.h"
  PATTERN "fit*.h" EXCLUDE
  PATTERN "io*.h" EXCLUDE
  PATTERN "schemes.h" EXCLUDE)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# ---- the studio's pages, where scripts/studio has built them

install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/build/studio/site/"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/ovoid/studio"
  OPTIONAL)

# ---- fit, on the core alone

if(TARGET ovoid_fit)
  install(
    DIRECTORY "${PROJECT_SOURCE_DIR}/include/ovoid"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    FILES_MATCHING
    PATTERN "fit*.h")
  if(BUILD_SHARED_LIBS)
    set_target_properties(ovoid_fit PROPERTIES INSTALL_RPATH "$ORIGIN")
  endif()
  install(
    TARGETS ovoid_fit
    EXPORT ovoidTargets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
    INCLUDES
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
endif()

install(
  EXPORT ovoidTargets
  NAMESPACE ovoid::
  DESTINATION "${package_dir}")

# ---- io, in an export set of its own: who uses the core needs none of what it needs

if(TARGET ovoid_io)
  install(
    DIRECTORY "${PROJECT_SOURCE_DIR}/include/ovoid"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    FILES_MATCHING
    PATTERN "io*.h")
  if(BUILD_SHARED_LIBS)
    set_target_properties(ovoid_io PROPERTIES INSTALL_RPATH "$ORIGIN")
  endif()
  install(
    TARGETS ovoid_io
    EXPORT ovoidIoTargets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
    INCLUDES
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(
    EXPORT ovoidIoTargets
    NAMESPACE ovoid::
    DESTINATION "${package_dir}")
  install(FILES "${PROJECT_SOURCE_DIR}/cmake/FindQhullReentrant.cmake"
                "${PROJECT_SOURCE_DIR}/cmake/FindJansson.cmake" DESTINATION "${package_dir}")
endif()

# ---- schemes, likewise

set(scheme_libraries "")
if(TARGET ovoid_schemes)
  get_target_property(scheme_libraries ovoid_schemes OVOID_SCHEME_LIBRARIES)
  install(FILES "${PROJECT_SOURCE_DIR}/include/ovoid/schemes.h"
          DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/ovoid")
  if(BUILD_SHARED_LIBS)
    set_target_properties(ovoid_schemes PROPERTIES INSTALL_RPATH "$ORIGIN")
  endif()
  install(
    TARGETS ovoid_schemes
    EXPORT ovoidSchemesTargets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
    INCLUDES
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(
    EXPORT ovoidSchemesTargets
    NAMESPACE ovoid::
    DESTINATION "${package_dir}")
  install(FILES "${PROJECT_SOURCE_DIR}/cmake/FindSchemeLibraries.cmake"
          DESTINATION "${package_dir}")
endif()

# ---- CMake package

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/ovoidConfig.cmake.in" "${generated_dir}/ovoidConfig.cmake"
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${generated_dir}/ovoidConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${generated_dir}/ovoidConfig.cmake" "${generated_dir}/ovoidConfigVersion.cmake"
        DESTINATION "${package_dir}")

# ---- pkg-config

# A static library does not know what it needs, so its user must name that too: in Libs. A shared
# one knows: what it needs goes to Libs.private.
cmake_path(IS_ABSOLUTE CMAKE_INSTALL_LIBDIR libdir_is_absolute)
cmake_path(IS_ABSOLUTE CMAKE_INSTALL_INCLUDEDIR includedir_is_absolute)
if(libdir_is_absolute OR includedir_is_absolute)
  set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
  set(pc_libdir "${CMAKE_INSTALL_FULL_LIBDIR}")
  set(pc_includedir "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
else()
  file(RELATIVE_PATH pc_up "/${pkgconfig_dir}" "/")
  string(REGEX REPLACE "/$" "" pc_up "${pc_up}")
  set(pc_prefix "\${pcfiledir}/${pc_up}")
  set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
set(pc_libm "")
if(OVOID_LIBM)
  set(pc_libm "-l${OVOID_LIBM}")
endif()
set(pc_scheme_needs "")
foreach(name IN LISTS scheme_libraries)
  string(APPEND pc_scheme_needs "-l${name} ")
  if(name STREQUAL "fcl")
    string(APPEND pc_scheme_needs "-lccd -lstdc++ ")
  endif()
endforeach()
string(APPEND pc_scheme_needs "${pc_libm}")
set(pc_io_needs "-lqhull_r -ljansson -lexpat ${pc_libm}")
if(BUILD_SHARED_LIBS)
  set(pc_libs "")
  set(pc_libs_private "${pc_libm}")
  set(pc_io_libs "")
  set(pc_io_libs_private "${pc_io_needs}")
  set(pc_schemes_libs "")
  set(pc_schemes_libs_private "${pc_scheme_needs}")
else()
  set(pc_libs " ${pc_libm}")
  set(pc_libs_private "")
  set(pc_io_libs " ${pc_io_needs}")
  set(pc_io_libs_private "")
  set(pc_schemes_libs " ${pc_scheme_needs}")
  set(pc_schemes_libs_private "")
endif()
set(pc_names ovoid)
if(TARGET ovoid_fit)
  list(APPEND pc_names ovoid_fit)
endif()
if(TARGET ovoid_io)
  list(APPEND pc_names ovoid_io)
endif()
if(TARGET ovoid_schemes)
  list(APPEND pc_names ovoid_schemes)
endif()
foreach(name IN LISTS pc_names)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in" "${generated_dir}/${name}.pc" @ONLY)
  install(FILES "${generated_dir}/${name}.pc" DESTINATION "${pkgconfig_dir}")
endforeach()

# ---- the command

if(TARGET ovoid_command)
  if(BUILD_SHARED_LIBS)
    file(RELATIVE_PATH bin_to_lib "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
    set_target_properties(ovoid_command PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
  endif()
  install(TARGETS ovoid_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  set(completion "${PROJECT_SOURCE_DIR}/cli/completion/ovoid.bash")
  if(EXISTS "${completion}")
    install(
      FILES "${completion}"
      DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
      RENAME ovoid)
  endif()
endif()
