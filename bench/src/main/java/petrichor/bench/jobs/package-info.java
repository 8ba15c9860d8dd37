/**
 * The speed of jobs: sort, word count, the smallest keys and TPC-H's third query, each in a process
 * of its own, so that its start-up counts.
 */
@NullMarked
package petrichor.bench.jobs;

import org.jspecify.annotations.NullMarked;
