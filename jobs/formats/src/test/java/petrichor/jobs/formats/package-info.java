@NullMarked
package petrichor.jobs.formats;

import org.jspecify.annotations.NullMarked;
