#include "app/app.h"

int main(int argc, char** argv) {
  return lb::run_program(argc, argv);
}
