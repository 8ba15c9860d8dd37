@NullMarked
package petrichor.apps.router.compression;

import org.jspecify.annotations.NullMarked;
