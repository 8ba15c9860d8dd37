@NullMarked
package petrichor.jobs.mapreduce;

import org.jspecify.annotations.NullMarked;
