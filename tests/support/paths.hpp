// Where tests find their data, and where they may write.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>

namespace test {

inline std::string data(std::string const& name) {
  std::string path = DYADIC_TEST_DATA;   // not by operator+, over which g++ 12 warns without cause
  path += '/';
  path += name;
  return path;
}

/// The folder of reference results: DYADIC_GOLDEN_DIR when set.
inline std::string golden_folder() {
  char const* set = std::getenv("DYADIC_GOLDEN_DIR");
  return set && *set ? set : data("golden");
}

/// A folder of this test's own, empty at first and gone at the end.
class temporary_folder {
 public:
  temporary_folder() {
    static int count = 0;
    for (int i = 0;; ++i) {
      path_ = std::filesystem::temp_directory_path() /
              ("dyadic_test_" + std::to_string(std::hash<std::string>{}(DYADIC_TEST_DATA) % 100000) + "_" + std::to_string(count++) + "_" + std::to_string(i));
      if (std::filesystem::create_directory(path_)) break;
    }
  }
  temporary_folder(temporary_folder const&) = delete;
  temporary_folder& operator=(temporary_folder const&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(std::string const& name) const { return (path_ / name).string(); }
  std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace test
