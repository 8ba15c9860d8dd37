package petrichor.apps.instances;

/**
 * @param file number of a log file
 * @param offset in bytes, at the start of a line
 */
record LogPosition(long file, long offset) {}
