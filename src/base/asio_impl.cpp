// Asio compiled once (BOOST_ASIO_SEPARATE_COMPILATION): every other file only sees declarations.
#include <boost/asio/impl/src.hpp>
