package petrichor.jobs.entities;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.NullValue;
import java.util.Set;
import java.util.function.LongSupplier;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/** Converts records to entities. Belongs to one thread. */
final class RecordToEntity {
    private static final int NO_FIELD = -1;

    private final PartitionId partition;
    private final String kind;
    private final RecordType type;
    private final Set<String> unindexed;
    private final int keyField;
    private final LongSupplier newIds;

    /**
     * @param newIds supplies an id for each record, if the type has no key
     */
    RecordToEntity(
            PartitionId partition,
            String kind,
            RecordType type,
            Set<String> unindexed,
            LongSupplier newIds) {
        this.partition = partition;
        this.kind = kind;
        this.type = type;
        this.unindexed = unindexed;
        this.keyField = keyField(type);
        this.newIds = newIds;
    }

    static boolean hasKey(RecordType type) {
        return keyField(type) != NO_FIELD;
    }

    private static int keyField(RecordType type) {
        for (int field = 0; field < type.size(); field++) {
            if (type.name(field).equals(EntityToRecord.KEY)) {
                return field;
            }
        }
        return NO_FIELD;
    }

    Entity entity(RecordView record) {
        var entity = Entity.newBuilder().setKey(key(record));
        for (int field = 0; field < type.size(); field++) {
            if (field != keyField) {
                entity.putProperties(type.name(field), value(record, field));
            }
        }
        return entity.build();
    }

    private Key key(RecordView record) {
        var element = Key.PathElement.newBuilder().setKind(kind);
        if (keyField == NO_FIELD) {
            element.setId(newIds.getAsLong());
        } else if (record.isNull(keyField)) {
            throw PetrichorException.invalid(
                    EntityToRecord.KEY + " is null: every entity of {kind} needs a key",
                    "kind",
                    kind);
        } else {
            switch (type.type(keyField)) {
                case TEXT -> element.setName(record.text(keyField));
                case INT64 -> element.setId(record.int64(keyField));
                case BYTES -> {
                    return wholeKey(record);
                }
                case BOOLEAN, INT32, FLOAT64 -> throw unusableKey();
            }
        }
        return Key.newBuilder().setPartitionId(partition).addPath(element).build();
    }

    private Key wholeKey(RecordView record) {
        try {
            return Key.parseFrom(record.bytes(keyField)).toBuilder()
                    .setPartitionId(partition)
                    .build();
        } catch (InvalidProtocolBufferException malformed) {
            throw PetrichorException.invalid(
                    EntityToRecord.KEY + " holds bytes that are not a key: {reason}",
                    "reason",
                    malformed.getMessage());
        }
    }

    /** Refuses a type whose key field has an invalid type. */
    static void check(RecordType type) {
        int field = keyField(type);
        if (field != NO_FIELD) {
            switch (type.type(field)) {
                case TEXT, INT64, BYTES -> {}
                case BOOLEAN, INT32, FLOAT64 -> throw unusableKey();
            }
        }
    }

    private static PetrichorException unusableKey() {
        return PetrichorException.invalid(
                EntityToRecord.KEY + " is a name (TEXT), an id (INT64) or a whole key (BYTES)");
    }

    private Value value(RecordView record, int field) {
        var value = Value.newBuilder();
        if (unindexed.contains(type.name(field))) {
            value.setExcludeFromIndexes(true);
        }
        if (record.isNull(field)) {
            return value.setNullValue(NullValue.NULL_VALUE).build();
        }
        switch (type.type(field)) {
            case BOOLEAN -> value.setBooleanValue(record.bool(field));
            case INT32, INT64 -> value.setIntegerValue(record.int64(field));
            case FLOAT64 -> value.setDoubleValue(record.float64(field));
            case TEXT -> value.setStringValue(record.text(field));
            case BYTES -> value.setBlobValue(ByteString.copyFrom(record.bytes(field)));
        }
        return value.build();
    }
}
