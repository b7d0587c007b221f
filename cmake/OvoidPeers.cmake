# Looks for the libraries that `ovoid-bench` compares with. All are optional; each that is missing is
# named with its Debian package. Sets OVOID_PEER_LIST to those that are there (FCL CCD BULLET ODE), and
# for each its OVOID_<PEER>_INCLUDES, _LIBRARIES and _DEFINITIONS.
#
# Their own CMake packages are not used: they ask for more than is needed here.

set(OVOID_PEER_LIST "")
include(CheckLanguage)
check_language(CXX)
if(NOT CMAKE_CXX_COMPILER)
  message(STATUS "ovoid-bench runs without peers: no C++ compiler (Debian: g++)")
  return()
endif()
enable_language(CXX)

find_path(OVOID_CCD_INCLUDE ccd/ccd.h)
find_library(OVOID_CCD_LIBRARY ccd)
find_path(OVOID_FCL_INCLUDE fcl/narrowphase/distance.h)
find_library(OVOID_FCL_LIBRARY fcl)
find_path(OVOID_EIGEN_INCLUDE Eigen/Core PATH_SUFFIXES eigen3)
find_path(OVOID_BULLET_INCLUDE BulletCollision/NarrowPhaseCollision/btGjkEpa2.h
          PATH_SUFFIXES bullet)
# the build in double precision is the more accurate one
find_library(OVOID_BULLET_LIBRARY NAMES BulletCollision-float64 BulletCollision)
find_library(OVOID_BULLET_DYNAMICS_LIBRARY NAMES BulletDynamics-float64 BulletDynamics)
find_library(OVOID_BULLET_MATH_LIBRARY NAMES LinearMath-float64 LinearMath)
find_library(OVOID_BULLET_SOFT_LIBRARY NAMES BulletSoftBody-float64 BulletSoftBody)
find_path(OVOID_ODE_INCLUDE ode/ode.h)
find_library(OVOID_ODE_LIBRARY ode)
mark_as_advanced(
  OVOID_CCD_INCLUDE OVOID_CCD_LIBRARY OVOID_FCL_INCLUDE OVOID_FCL_LIBRARY OVOID_EIGEN_INCLUDE
  OVOID_BULLET_INCLUDE OVOID_BULLET_LIBRARY OVOID_BULLET_MATH_LIBRARY OVOID_BULLET_DYNAMICS_LIBRARY
  OVOID_BULLET_SOFT_LIBRARY OVOID_ODE_INCLUDE OVOID_ODE_LIBRARY)

if(OVOID_CCD_INCLUDE AND OVOID_CCD_LIBRARY)
  list(APPEND OVOID_PEER_LIST CCD)
  set(OVOID_CCD_INCLUDES "${OVOID_CCD_INCLUDE}")
  set(OVOID_CCD_LIBRARIES "${OVOID_CCD_LIBRARY}")
else()
  message(STATUS "ovoid-bench runs without libccd (Debian: libccd-dev)")
endif()

if(OVOID_FCL_INCLUDE AND OVOID_FCL_LIBRARY AND OVOID_EIGEN_INCLUDE AND OVOID_CCD_LIBRARY)
  list(APPEND OVOID_PEER_LIST FCL)
  set(OVOID_FCL_INCLUDES "${OVOID_FCL_INCLUDE}" "${OVOID_EIGEN_INCLUDE}" "${OVOID_CCD_INCLUDE}")
  set(OVOID_FCL_LIBRARIES "${OVOID_FCL_LIBRARY}" "${OVOID_CCD_LIBRARY}")
else()
  message(STATUS "ovoid-bench runs without FCL (Debian: libfcl-dev)")
endif()

if(OVOID_BULLET_INCLUDE AND OVOID_BULLET_LIBRARY AND OVOID_BULLET_DYNAMICS_LIBRARY
   AND OVOID_BULLET_MATH_LIBRARY)
  list(APPEND OVOID_PEER_LIST BULLET)
  set(OVOID_BULLET_INCLUDES "${OVOID_BULLET_INCLUDE}")
  set(OVOID_BULLET_LIBRARIES "${OVOID_BULLET_DYNAMICS_LIBRARY}" "${OVOID_BULLET_LIBRARY}"
                             "${OVOID_BULLET_MATH_LIBRARY}")
  if(OVOID_BULLET_LIBRARY MATCHES "float64")
    set(OVOID_BULLET_DEFINITIONS BT_USE_DOUBLE_PRECISION)
  endif()
  # its soft bodies, to drape: from the same package
  if(OVOID_BULLET_SOFT_LIBRARY)
    list(APPEND OVOID_PEER_LIST BULLET_CLOTH)
    set(OVOID_BULLET_CLOTH_INCLUDES "${OVOID_BULLET_INCLUDE}")
    set(OVOID_BULLET_CLOTH_LIBRARIES
        "${OVOID_BULLET_SOFT_LIBRARY}" ${OVOID_BULLET_LIBRARIES})
    set(OVOID_BULLET_CLOTH_DEFINITIONS ${OVOID_BULLET_DEFINITIONS})
  endif()
else()
  message(STATUS "ovoid-bench runs without Bullet (Debian: libbullet-dev)")
endif()

if(OVOID_ODE_INCLUDE AND OVOID_ODE_LIBRARY)
  list(APPEND OVOID_PEER_LIST ODE)
  set(OVOID_ODE_INCLUDES "${OVOID_ODE_INCLUDE}")
  set(OVOID_ODE_LIBRARIES "${OVOID_ODE_LIBRARY}")
else()
  message(STATUS "ovoid-bench runs without ODE (Debian: libode-dev)")
endif()
