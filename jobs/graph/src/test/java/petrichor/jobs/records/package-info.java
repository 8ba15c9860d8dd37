@NullMarked
package petrichor.jobs.records;

import org.jspecify.annotations.NullMarked;
