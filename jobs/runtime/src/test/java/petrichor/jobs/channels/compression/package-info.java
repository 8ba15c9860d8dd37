@NullMarked
package petrichor.jobs.channels.compression;

import org.jspecify.annotations.NullMarked;
