package petrichor.services.images;

import com.twelvemonkeys.imageio.metadata.CompoundDirectory;
import com.twelvemonkeys.imageio.metadata.Directory;
import com.twelvemonkeys.imageio.metadata.Entry;
import com.twelvemonkeys.imageio.metadata.jpeg.JPEGSegment;
import com.twelvemonkeys.imageio.metadata.jpeg.JPEGSegmentUtil;
import com.twelvemonkeys.imageio.metadata.tiff.TIFFReader;
import com.twelvemonkeys.imageio.stream.ByteArrayImageInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a camera wrote into a JPEG: its orientation, and the fields that App Engine reports.
 *
 * @param fields by name; values are strings or numbers
 */
record Exif(Map<String, Object> fields) {
    static final Exif NONE = new Exif(Map.of());

    private static final String ORIENTATION = "Orientation";
    private static final String TAKEN = "DateTimeOriginal";
    private static final int APP1 = 0xFFE1;
    private static final int SUBDIRECTORY = 0x8769;
    private static final int TEXT_CHARS_MAX = 1000;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy:MM:dd HH:mm:ss");

    private static final Map<Integer, String> NAMES =
            Map.ofEntries(
                    Map.entry(271, "Make"),
                    Map.entry(272, "Model"),
                    Map.entry(274, ORIENTATION),
                    Map.entry(305, "Software"),
                    Map.entry(306, "DateTime"),
                    Map.entry(34855, "ISOSpeedRatings"),
                    Map.entry(36867, TAKEN),
                    Map.entry(36868, "DateTimeDigitized"),
                    Map.entry(37383, "MeteringMode"),
                    Map.entry(37385, "Flash"),
                    Map.entry(41987, "WhiteBalance"));

    /** Damaged data counts as none. */
    static Exif of(byte[] content, ImageFormat format) {
        if (format != ImageFormat.JPEG) {
            return NONE;
        }
        try (ByteArrayImageInputStream input = new ByteArrayImageInputStream(content)) {
            List<JPEGSegment> segments = JPEGSegmentUtil.readSegments(input, APP1, "Exif");
            return segments.isEmpty() ? NONE : parse(segments.getFirst());
        } catch (IOException | RuntimeException e) {
            return NONE;
        }
    }

    private static Exif parse(JPEGSegment segment) throws IOException {
        byte[] data;
        try (InputStream stream = segment.data()) {
            data = stream.readAllBytes();
        }
        int from = data.length > 0 && data[0] == 0 ? 1 : 0;
        try (ByteArrayImageInputStream input =
                new ByteArrayImageInputStream(data, from, data.length - from)) {
            Map<String, Object> fields = new LinkedHashMap<>();
            collect(new TIFFReader().read(input), fields);
            return new Exif(Map.copyOf(fields));
        }
    }

    private static void collect(Directory directory, Map<String, Object> fields) {
        if (directory instanceof CompoundDirectory several && several.directoryCount() > 0) {
            // The second one describes the thumbnail.
            collect(several.getDirectory(0), fields);
            return;
        }
        for (Entry entry : directory) {
            if (entry.getIdentifier() instanceof Integer tag) {
                if (tag == SUBDIRECTORY && entry.getValue() instanceof Directory more) {
                    collect(more, fields);
                }
                String name = NAMES.get(tag);
                Object value = entry.getValue();
                if (name != null && value != null) {
                    put(name, value, fields);
                }
            }
        }
    }

    private static void put(String name, Object value, Map<String, Object> fields) {
        switch (value) {
            case Number number -> fields.put(name, number.longValue());
            case String text when name.equals(TAKEN) -> putTime(text, fields);
            case String text when text.length() <= TEXT_CHARS_MAX -> fields.put(name, text);
            case Object _ -> {}
        }
    }

    /** Seconds since 1970, as App Engine reports it; the camera does not record a time zone. */
    private static void putTime(String text, Map<String, Object> fields) {
        try {
            fields.put(
                    TAKEN, LocalDateTime.parse(text.strip(), TIME).toEpochSecond(ZoneOffset.UTC));
        } catch (DateTimeParseException e) {
            // App Engine leaves it out, too.
        }
    }

    /** 1 to 8; 1 is upright. */
    int orientation() {
        return fields.get(ORIENTATION) instanceof Long value && value >= 1 && value <= 8
                ? value.intValue()
                : 1;
    }
}
