@NullMarked
package petrichor.jobs.testkit;

import org.jspecify.annotations.NullMarked;
