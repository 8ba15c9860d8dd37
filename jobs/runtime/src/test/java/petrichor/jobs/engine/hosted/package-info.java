@NullMarked
package petrichor.jobs.engine.hosted;

import org.jspecify.annotations.NullMarked;
