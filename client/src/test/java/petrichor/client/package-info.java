@NullMarked
package petrichor.client;

import org.jspecify.annotations.NullMarked;
