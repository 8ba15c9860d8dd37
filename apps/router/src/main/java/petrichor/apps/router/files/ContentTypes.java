package petrichor.apps.router.files;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** Content types by the ending of a file's name. */
public final class ContentTypes {
    private static final String UNKNOWN = "application/octet-stream";

    private static final String TABLE =
            """
            html htm text/html; charset=utf-8
            css text/css; charset=utf-8
            js mjs text/javascript; charset=utf-8
            txt text log text/plain; charset=utf-8
            md text/markdown; charset=utf-8
            csv text/csv; charset=utf-8
            xml application/xml
            xhtml application/xhtml+xml
            json map application/json
            webmanifest application/manifest+json
            atom application/atom+xml
            rss application/rss+xml
            pdf application/pdf
            wasm application/wasm
            zip application/zip
            gz tgz application/gzip
            tar application/x-tar
            jar application/java-archive
            swf application/x-shockwave-flash
            rtf application/rtf
            doc application/msword
            xls application/vnd.ms-excel
            ppt application/vnd.ms-powerpoint
            docx application/vnd.openxmlformats-officedocument.wordprocessingml.document
            xlsx application/vnd.openxmlformats-officedocument.spreadsheetml.sheet
            pptx application/vnd.openxmlformats-officedocument.presentationml.presentation
            png image/png
            jpg jpeg image/jpeg
            gif image/gif
            svg image/svg+xml
            webp image/webp
            avif image/avif
            ico image/x-icon
            bmp image/bmp
            tif tiff image/tiff
            woff font/woff
            woff2 font/woff2
            ttf font/ttf
            otf font/otf
            eot application/vnd.ms-fontobject
            mp3 audio/mpeg
            ogg oga audio/ogg
            wav audio/wav
            m4a audio/mp4
            flac audio/flac
            mp4 m4v video/mp4
            webm video/webm
            ogv video/ogg
            mov video/quicktime
            avi video/x-msvideo
            ics text/calendar; charset=utf-8
            vtt text/vtt; charset=utf-8
            """;

    private static final Map<String, String> BY_ENDING = byEnding();

    private ContentTypes() {}

    private static Map<String, String> byEnding() {
        Map<String, String> types = new HashMap<>();
        TABLE.lines()
                .forEach(
                        line -> {
                            int slash = line.indexOf('/');
                            int type = line.lastIndexOf(' ', slash) + 1;
                            for (String ending : line.substring(0, type).split(" ", -1)) {
                                types.put(ending, line.substring(type));
                            }
                        });
        types.remove("");
        return Map.copyOf(types);
    }

    static String of(String fileName) {
        int dot = fileName.lastIndexOf('.');
        String ending = dot < 0 ? "" : fileName.substring(dot + 1).toLowerCase(Locale.ROOT);
        return BY_ENDING.getOrDefault(ending, UNKNOWN);
    }

    /**
     * Whether compression makes such content smaller.
     *
     * @param contentType in lower case, with or without parameters
     */
    public static boolean isCompressible(String contentType) {
        return contentType.startsWith("text/")
                || contentType.startsWith("application/json")
                || contentType.startsWith("application/javascript")
                || contentType.startsWith("application/wasm")
                || contentType.startsWith("application/rtf")
                || contentType.startsWith("application/vnd.ms-fontobject")
                || contentType.startsWith("application/xml")
                || contentType.contains("+xml")
                || contentType.contains("+json")
                || contentType.startsWith("application/x-ndjson")
                || contentType.startsWith("application/x-javascript")
                || contentType.startsWith("image/bmp")
                || contentType.startsWith("font/ttf")
                || contentType.startsWith("font/otf");
    }
}
