package tensor

// mapWithoutReserve is nothing where memory is never reserved.
const mapWithoutReserve = 0
