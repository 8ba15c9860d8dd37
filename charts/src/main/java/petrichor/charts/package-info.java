/** Drawings in SVG: shapes and text, and frames with time from left to right. */
@NullMarked
package petrichor.charts;

import org.jspecify.annotations.NullMarked;
