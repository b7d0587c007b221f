# What all targets of Ovoid share: warnings, sanitizers, and how a library is made.

# libm is a library of its own on Unix, and part of the C library on Windows and macOS.
if(WIN32 OR APPLE)
  set(OVOID_LIBM "")
else()
  set(OVOID_LIBM m)
endif()

# POSIX.1-2008, for all that works with files and clocks: the core needs C17 alone.
set(OVOID_POSIX _DEFAULT_SOURCE)

# Warnings and sanitizers, private to the target: nothing of it reaches who links the libraries.
function(ovoid_target_flags target)
  if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
    # no note on vectors that are wider than the machine's: they are passed to inline functions only
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wno-psabi)
    if(CMAKE_SYSTEM_PROCESSOR STREQUAL wasm32)
      # clang 14 makes wrong vectors of scalars here: points of a cone that are none of its points
      target_compile_options(${target} PRIVATE -fno-slp-vectorize)
    endif()
    if(OVOID_WERROR)
      target_compile_options(${target} PRIVATE -Werror)
    endif()
  endif()
  if(OVOID_SANITIZE)
    set(flags -fsanitize=${OVOID_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(${target} PRIVATE ${flags})
    target_link_options(${target} PRIVATE ${flags})
  endif()
endfunction()

# A library with its public headers, version and exported names. The headers carry no export
# macros; what a shared library shows is decided here: the names that begin with ov_ and no others.
function(ovoid_add_library name)
  add_library(${name} ${ARGN})
  ovoid_target_flags(${name})
  target_include_directories(
    ${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                   $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${name} INTERFACE c_std_99)
  # Before 1.0 a minor version may break the binary interface, so it is part of the soname.
  set_target_properties(
    ${name}
    PROPERTIES VERSION ${PROJECT_VERSION}
               SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
               WINDOWS_EXPORT_ALL_SYMBOLS ON)
  if(NOT BUILD_SHARED_LIBS)
    return()
  endif()
  if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
    # Calls inside the library need not go through its own symbol table.
    target_compile_options(${name} PRIVATE -fno-semantic-interposition)
  endif()
  if(APPLE)
    target_link_options(${name} PRIVATE "LINKER:-exported_symbol,_ov_*")
  elseif(UNIX)
    set(map "${PROJECT_SOURCE_DIR}/cmake/exports.map")
    target_link_options(${name} PRIVATE "LINKER:--version-script=${map}")
    # An undefined name is an error, except that sanitizers leave theirs to the program.
    if(NOT OVOID_SANITIZE)
      target_link_options(${name} PRIVATE "LINKER:-z,defs")
    endif()
    set_target_properties(${name} PROPERTIES LINK_DEPENDS "${map}")
  endif()
endfunction()
