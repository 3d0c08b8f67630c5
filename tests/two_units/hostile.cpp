// Other libraries define macros with short names. Theirs come first here, as they would after <windows.h>, <complex.h> or <ctype.h>.
#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#define min(a, b) hostile_macro
#define max(a, b) hostile_macro
#define I hostile_macro
#define N hostile_macro
#define L hostile_macro
#define E hostile_macro
#define _B hostile_macro
#include "all.hpp"

int hostile();
int hostile() { return DYADIC_VERSION; }
