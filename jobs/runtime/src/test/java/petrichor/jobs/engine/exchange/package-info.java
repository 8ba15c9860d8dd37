@NullMarked
package petrichor.jobs.engine.exchange;

import org.jspecify.annotations.NullMarked;
