@NullMarked
package petrichor.testing.jobs;

import org.jspecify.annotations.NullMarked;
