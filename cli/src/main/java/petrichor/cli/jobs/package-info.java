/**
 * Commands for jobs: {@code job} on this machine, a server or leased machines, and {@code flink}.
 */
@NullMarked
package petrichor.cli.jobs;

import org.jspecify.annotations.NullMarked;
