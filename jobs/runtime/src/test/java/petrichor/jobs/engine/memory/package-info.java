@NullMarked
package petrichor.jobs.engine.memory;

import org.jspecify.annotations.NullMarked;
