/** Texts as they are searched: words, stems, HTML without markup. */
@NullMarked
package petrichor.services.search.text;

import org.jspecify.annotations.NullMarked;
