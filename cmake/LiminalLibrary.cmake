# lb_library(NAME [DEPENDS …]): one static library per folder under src/, and its tests.
#
# Every *.cpp of the folder (and of its sub-folders) belongs to the library, *_test.cpp to the test
# program test_NAME. Linking follows the include table of ARCHITECTURE.md; tests/tidy holds it.
# FOLDER: another folder than NAME; ONLY and EXCEPT: regular expressions on the path below it, where
# a folder holds two libraries.

function(lb_library name)
  cmake_parse_arguments(ARG "ASIO" "FOLDER;ONLY;EXCEPT" "DEPENDS" ${ARGN})
  if(NOT ARG_FOLDER)
    set(ARG_FOLDER ${name})
  endif()
  set(folder "${CMAKE_CURRENT_SOURCE_DIR}/${ARG_FOLDER}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  if(ARG_ONLY)
    list(FILTER sources INCLUDE REGEX "^${folder}/${ARG_ONLY}")
  endif()
  if(ARG_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "^${folder}/${ARG_EXCEPT}")
  endif()
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")

  if(sources)
    add_library(lb_${name} STATIC ${sources})
    target_include_directories(lb_${name} PUBLIC "${CMAKE_SOURCE_DIR}/src")
    set(scope PUBLIC)
  else()
    add_library(lb_${name} INTERFACE)
    target_include_directories(lb_${name} INTERFACE "${CMAKE_SOURCE_DIR}/src")
    set(scope INTERFACE)
  endif()
  target_link_libraries(lb_${name} ${scope} ${ARG_DEPENDS})
  if(sources)
    lb_precompiled(lb_${name} "${ARG_ASIO}")
    lb_unity(lb_${name} ${sources})
  endif()

  if(LB_TESTS AND tests)
    add_executable(test_${name} ${tests} "${CMAKE_SOURCE_DIR}/tests/support/test_main.cpp")
    target_link_libraries(test_${name} PRIVATE lb_${name} lb_test_support)
    target_compile_definitions(test_${name} PRIVATE "LB_SOURCE_DIR=\"${CMAKE_SOURCE_DIR}\"")
    lb_precompiled(test_${name} "${ARG_ASIO}")
    add_test(NAME ${name} COMMAND test_${name})
  endif()
endfunction()

# Two precompiled headers serve all: a light one, and one with Asio.
function(lb_precompiled target asio)
  if(asio)
    target_precompile_headers(${target} REUSE_FROM lb_pch_asio)
  else()
    target_precompile_headers(${target} REUSE_FROM lb_pch)
  endif()
endfunction()

# Several files as one translation unit, in the build that users wait for: what they share is parsed,
# instantiated and optimised once. All other builds, and clang-tidy, look at each file by itself.
option(LB_UNITY "Compile the files of a folder together" OFF)
function(lb_unity target)
  if(NOT LB_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
  list(FILTER ARGN INCLUDE REGEX "_impl\\.cpp$")  # Libraries compiled once have macros of their own.
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
