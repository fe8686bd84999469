# Flags of every target: language, warnings as errors, hardening, sanitizers, compiler cache.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# All objects are for position-independent executables, so that two precompiled headers serve all.
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
add_compile_options(-fPIE)
add_link_options(-pie)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

set(LB_SANITIZE "" CACHE STRING "Value for -fsanitize=, empty for none")
option(LB_HARDEN "Hardening flags of the release build" OFF)

# A precompiled header carries its timestamp into every object; without it ccache may share them
# between checkouts.
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
    "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1
    "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime" "${CCACHE}")
endif()

add_compile_options(
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CXX>:-Wsuggest-override>
  $<$<COMPILE_LANGUAGE:CXX>:-Wzero-as-null-pointer-constant>
  # Options structs are written with the fields that differ from their defaults, and no others.
  -Wno-missing-designated-field-initializers
  $<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang\ -fno-pch-timestamp>)
add_compile_definitions(
  BOOST_ASIO_SEPARATE_COMPILATION
  BOOST_BEAST_SEPARATE_COMPILATION
  BOOST_ASIO_NO_DEPRECATED)
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1 -fno-omit-frame-pointer")
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")
add_compile_definitions($<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
add_link_options(-fuse-ld=lld)

if(LB_HARDEN)
  add_compile_definitions(_FORTIFY_SOURCE=3 _GLIBCXX_ASSERTIONS)
  add_compile_options(
    -fstack-protector-strong -fstack-clash-protection -fcf-protection=full
    -ftrivial-auto-var-init=zero -fno-delete-null-pointer-checks -fno-strict-overflow)
  add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack,-z,separate-code)
endif()

if(LB_SANITIZE)
  add_compile_options(-fsanitize=${LB_SANITIZE} -fno-sanitize-recover=all)
  if(LB_SANITIZE MATCHES undefined)
    # One check at each use of a pointer, for what the address sanitizer stops anyway: they were a
    # fifth of that build.
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
  endif()
  string(REPLACE ",fuzzer-no-link" "" LB_SANITIZE_LINK "${LB_SANITIZE}")
  add_link_options(-fsanitize=${LB_SANITIZE_LINK})
endif()
