package petrichor.apps.router.table;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/** The app's own pages for failures ({@code error_handlers} of {@code app.yaml}). */
public record ErrorPages(Map<Kind, Page> pages) {
    /** No own pages. */
    public static final ErrorPages NONE = new ErrorPages(Map.of());

    /** Limit of one page; App Engine's is 10 KB. */
    public static final int PAGE_BYTES_MAX = 64 << 10;

    /** Which failures. */
    public enum Kind {
        /** All without a page of their own. */
        DEFAULT,
        OVER_QUOTA,
        TIMEOUT
    }

    /**
     * @param content must not be changed afterwards
     */
    public record Page(byte[] content, String contentType) {
        public Page {
            if (content.length > PAGE_BYTES_MAX) {
                throw PetrichorException.invalid(
                        "the error page has {bytes} bytes, at most {bytesMax} are allowed",
                        "bytes",
                        content.length,
                        "bytesMax",
                        PAGE_BYTES_MAX);
            }
        }
    }

    public ErrorPages {
        pages = Map.copyOf(pages);
    }

    /** The page for a failure; null if the app has none. */
    public @Nullable Page page(Kind kind) {
        Page own = pages.get(kind);
        return own == null ? pages.get(Kind.DEFAULT) : own;
    }
}
