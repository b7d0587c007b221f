# Finds what libovoid_schemes is built on, each an optional component with a target of its own:
#
#   lapacke  SchemeLibraries::lapacke   linear systems of the Newton schemes
#   ipopt    SchemeLibraries::ipopt     interior point
#   nlopt    SchemeLibraries::nlopt     sequential quadratic programming
#   fcl      SchemeLibraries::fcl       meshes; a C++ library
#
# The libraries' own CMake packages are not used: not all have one, and some ask for more than is
# needed here. Also used by the installed package, where a static library has to name them again.

find_path(SchemeLibraries_LAPACKE_INCLUDE lapacke.h)
find_library(SchemeLibraries_LAPACKE_LIBRARY lapacke)
find_path(SchemeLibraries_IPOPT_INCLUDE IpStdCInterface.h PATH_SUFFIXES coin coin-or)
find_library(SchemeLibraries_IPOPT_LIBRARY ipopt)
find_path(SchemeLibraries_NLOPT_INCLUDE nlopt.h)
find_library(SchemeLibraries_NLOPT_LIBRARY nlopt)
find_path(SchemeLibraries_FCL_INCLUDE fcl/narrowphase/distance.h)
find_library(SchemeLibraries_FCL_LIBRARY fcl)
find_path(SchemeLibraries_EIGEN_INCLUDE Eigen/Core PATH_SUFFIXES eigen3)
find_library(SchemeLibraries_CCD_LIBRARY ccd)
mark_as_advanced(
  SchemeLibraries_LAPACKE_INCLUDE SchemeLibraries_LAPACKE_LIBRARY SchemeLibraries_IPOPT_INCLUDE
  SchemeLibraries_IPOPT_LIBRARY SchemeLibraries_NLOPT_INCLUDE SchemeLibraries_NLOPT_LIBRARY
  SchemeLibraries_FCL_INCLUDE SchemeLibraries_FCL_LIBRARY SchemeLibraries_EIGEN_INCLUDE
  SchemeLibraries_CCD_LIBRARY)

foreach(name lapacke ipopt nlopt fcl)
  string(TOUPPER "${name}" upper)
  set(SchemeLibraries_${name}_FOUND FALSE)
  if(SchemeLibraries_${upper}_INCLUDE AND SchemeLibraries_${upper}_LIBRARY)
    set(SchemeLibraries_${name}_FOUND TRUE)
  endif()
endforeach()
if(NOT SchemeLibraries_EIGEN_INCLUDE OR NOT SchemeLibraries_CCD_LIBRARY)
  set(SchemeLibraries_fcl_FOUND FALSE)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  SchemeLibraries
  HANDLE_COMPONENTS
  REASON_FAILURE_MESSAGE
    "on Debian and Ubuntu they are in liblapacke-dev coinor-libipopt-dev libnlopt-dev libfcl-dev")

foreach(name lapacke ipopt nlopt fcl)
  string(TOUPPER "${name}" upper)
  if(SchemeLibraries_${name}_FOUND AND NOT TARGET SchemeLibraries::${name})
    add_library(SchemeLibraries::${name} UNKNOWN IMPORTED)
    set_target_properties(
      SchemeLibraries::${name}
      PROPERTIES IMPORTED_LOCATION "${SchemeLibraries_${upper}_LIBRARY}"
                 INTERFACE_INCLUDE_DIRECTORIES "${SchemeLibraries_${upper}_INCLUDE}")
    if(name STREQUAL "fcl")
      set_property(
        TARGET SchemeLibraries::fcl
        APPEND
        PROPERTY INTERFACE_INCLUDE_DIRECTORIES "${SchemeLibraries_EIGEN_INCLUDE}")
      set_target_properties(SchemeLibraries::fcl PROPERTIES INTERFACE_LINK_LIBRARIES
                                                            "${SchemeLibraries_CCD_LIBRARY}")
    endif()
  endif()
endforeach()
