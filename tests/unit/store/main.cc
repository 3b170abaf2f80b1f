// The test program; with --helper it is one of the other processes that the tests need.
#include "unit/store/support.h"

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "--helper") {
    return helve::store::helper_main(std::vector<std::string>(argv + 2, argv + argc));
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
