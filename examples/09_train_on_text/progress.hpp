// A progress line per task, redrawn in place on a terminal; elsewhere printed once in a while.
#pragma once
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

/// What a task last reported.
struct task_status {
  std::string name;
  std::int64_t step = 0, steps = 0;
  double loss = 0, rate = 0;   ///< nats a byte, smoothed; tokens a second
};

class progress {
 public:
  explicit progress(std::vector<std::string> const& names) {
    for (auto const& n : names) tasks_.push_back({n});
  }

  void update(std::size_t task, std::int64_t step, std::int64_t steps, double loss, double tokens_per_second) {
    std::lock_guard const lock(mutex_);
    task_status& t = tasks_[task];
    t.step = step; t.steps = steps; t.loss = loss; t.rate = tokens_per_second;
  }

  /// Every so often: on a terminal all lines in place, elsewhere every tenth of the way.
  void draw(bool last = false) {
    std::lock_guard const lock(mutex_);
    if (terminal_) {
      if (drawn_) std::printf("\033[%zuA", tasks_.size());
      for (auto const& t : tasks_) std::printf("\033[2K%s\n", line(t).c_str());
    } else {
      double done = 1;
      for (auto const& t : tasks_) done = std::min(done, t.steps ? static_cast<double>(t.step) / static_cast<double>(t.steps) : 0.0);
      if (tenths_ > 10 || (!last && done < static_cast<double>(tenths_) / 10)) return;
      while (static_cast<double>(tenths_) / 10 <= done) ++tenths_;
      for (auto const& t : tasks_) std::printf("%s\n", line(t).c_str());
    }
    drawn_ = true;
    std::fflush(stdout);
  }

 private:
  std::string line(task_status const& t) const {
    double const elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    double const done = t.steps ? static_cast<double>(t.step) / static_cast<double>(t.steps) : 0;
    double const left = done > 0 ? elapsed * (1 - done) / done : 0;
    int const width = 20, filled = static_cast<int>(done * width);
    std::string bar(static_cast<std::size_t>(filled), '#');
    bar.resize(width, '.');
    char text[200];
    std::snprintf(text, sizeof text, "%-21s [%s] %5.1f %%  loss %.3f  %.3f bits/byte  %6.0f tokens/s  ETA %3.0f s", t.name.c_str(), bar.c_str(),
                  100 * done, t.loss, t.loss / 0.6931471805599453, t.rate, left);
    return text;
  }

  std::vector<task_status> tasks_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool terminal_ = isatty(STDOUT_FILENO) != 0, drawn_ = false;
  int tenths_ = 1;
};
