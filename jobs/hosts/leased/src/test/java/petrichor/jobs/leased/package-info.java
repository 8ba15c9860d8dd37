@NullMarked
package petrichor.jobs.leased;

import org.jspecify.annotations.NullMarked;
