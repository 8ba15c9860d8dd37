@NullMarked
package petrichor.jobs.tuning;

import org.jspecify.annotations.NullMarked;
