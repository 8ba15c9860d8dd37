@NullMarked
package petrichor.jobs.engine.workers;

import org.jspecify.annotations.NullMarked;
