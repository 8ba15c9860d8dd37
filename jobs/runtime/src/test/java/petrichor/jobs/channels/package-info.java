@NullMarked
package petrichor.jobs.channels;

import org.jspecify.annotations.NullMarked;
