@NullMarked
package petrichor.jobs.flink;

import org.jspecify.annotations.NullMarked;
