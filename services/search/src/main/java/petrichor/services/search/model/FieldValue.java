package petrichor.services.search.model;

import java.util.List;

/** The value of a field. */
public sealed interface FieldValue {
    SearchFieldType type();

    /**
     * @param type one of the textual types
     */
    record Text(SearchFieldType type, String text) implements FieldValue {
        public Text {
            if (!type.textual()) {
                throw new IllegalArgumentException(type + " is not a textual type");
            }
        }
    }

    record Numeric(double number) implements FieldValue {
        @Override
        public SearchFieldType type() {
            return SearchFieldType.NUMBER;
        }
    }

    /**
     * A point in time. Queries compare only its day (UTC); sorting compares the milliseconds.
     *
     * @param epochMillis milliseconds since 1970
     */
    record Date(long epochMillis) implements FieldValue {
        private static final long DAY_MILLIS = 86_400_000;

        @Override
        public SearchFieldType type() {
            return SearchFieldType.DATE;
        }

        public long epochDay() {
            return Math.floorDiv(epochMillis, DAY_MILLIS);
        }
    }

    /** Degrees. */
    record GeoPoint(double latitude, double longitude) implements FieldValue {
        private static final double EARTH_RADIUS_METERS = 6_371_010;

        @Override
        public SearchFieldType type() {
            return SearchFieldType.GEO;
        }

        /** Great-circle distance (haversine formula), in meters. */
        public double distanceTo(GeoPoint other) {
            double latitude1 = Math.toRadians(latitude);
            double latitude2 = Math.toRadians(other.latitude);
            double halfHeight = Math.sin((latitude1 - latitude2) / 2);
            double halfWidth = Math.sin(Math.toRadians(longitude - other.longitude) / 2);
            double square =
                    halfHeight * halfHeight
                            + Math.cos(latitude1) * Math.cos(latitude2) * halfWidth * halfWidth;
            return 2 * EARTH_RADIUS_METERS * Math.asin(Math.min(1, Math.sqrt(square)));
        }
    }

    /** Stored and returned; not searchable. */
    record Vector(List<Double> components) implements FieldValue {
        public Vector {
            components = List.copyOf(components);
        }

        @Override
        public SearchFieldType type() {
            return SearchFieldType.VECTOR;
        }
    }
}
