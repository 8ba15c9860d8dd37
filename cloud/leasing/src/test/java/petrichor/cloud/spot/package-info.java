@NullMarked
package petrichor.cloud.spot;

import org.jspecify.annotations.NullMarked;
