@NullMarked
package petrichor.frontends.storage;

import org.jspecify.annotations.NullMarked;
