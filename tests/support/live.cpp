#include "support/live.hpp"

template class dyadic::detail::live_trace<float>;
template class dyadic::detail::live_trace<double>;
