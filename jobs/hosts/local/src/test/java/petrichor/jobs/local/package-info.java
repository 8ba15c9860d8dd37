@NullMarked
package petrichor.jobs.local;

import org.jspecify.annotations.NullMarked;
