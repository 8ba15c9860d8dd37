@NullMarked
package petrichor.cloud.local;

import org.jspecify.annotations.NullMarked;
