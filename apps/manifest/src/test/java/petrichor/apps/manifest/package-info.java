@NullMarked
package petrichor.apps.manifest;

import org.jspecify.annotations.NullMarked;
