#include "kept.h"

enum { MOST_KEPT = 256 };

void rostering_kept_init(rostering_kept *kept) {
    *kept = (rostering_kept){.steps = json_object()};
    pthread_mutex_init(&kept->lock, NULL);
}

void rostering_kept_clear(rostering_kept *kept) {
    json_decref(kept->steps);
    pthread_mutex_destroy(&kept->lock);
}

/* drop is rostering_kept_drop with the lock held. */
static void drop(rostering_kept *kept) {
    kept->generation++;
    json_object_clear(kept->steps);
}

void rostering_kept_drop(rostering_kept *kept) {
    pthread_mutex_lock(&kept->lock);
    drop(kept);
    pthread_mutex_unlock(&kept->lock);
}

json_t *rostering_kept_find(rostering_kept *kept, const char *call, json_int_t now, unsigned *generation) {
    pthread_mutex_lock(&kept->lock);
    if (now < kept->latest) drop(kept);
    kept->latest = now;
    *generation = kept->generation;
    json_t *step = json_object_get(kept->steps, call);
    bool valid = now < json_integer_value(json_object_get(step, "until"));
    if (valid) json_incref(step);
    pthread_mutex_unlock(&kept->lock);
    return valid ? step : NULL;
}

void rostering_keep(rostering_kept *kept, const char *call, json_t *step, unsigned generation) {
    if (json_object_get(step, "until") == NULL) return;
    pthread_mutex_lock(&kept->lock);
    if (generation == kept->generation) {
        if (json_object_size(kept->steps) == MOST_KEPT) json_object_clear(kept->steps);
        json_object_set(kept->steps, call, step);
    }
    pthread_mutex_unlock(&kept->lock);
}
