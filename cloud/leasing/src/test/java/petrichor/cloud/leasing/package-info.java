@NullMarked
package petrichor.cloud.leasing;

import org.jspecify.annotations.NullMarked;
