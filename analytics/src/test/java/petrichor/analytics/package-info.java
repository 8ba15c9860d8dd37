@NullMarked
package petrichor.analytics;

import org.jspecify.annotations.NullMarked;
