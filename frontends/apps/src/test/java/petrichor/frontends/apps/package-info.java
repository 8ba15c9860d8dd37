@NullMarked
package petrichor.frontends.apps;

import org.jspecify.annotations.NullMarked;
