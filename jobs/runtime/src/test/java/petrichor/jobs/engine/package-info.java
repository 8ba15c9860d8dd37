@NullMarked
package petrichor.jobs.engine;

import org.jspecify.annotations.NullMarked;
