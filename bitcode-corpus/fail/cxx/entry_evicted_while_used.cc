// A reader of a cache keeps a pointer to an entry beyond its locked section, and a writer evicts the entry.
#include <cassert>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
struct Entry {
    int hits = 0;
    int value;
    explicit Entry(int value) : value(value) {}
};
class Cache {
    std::shared_mutex lock;
    std::map<int, std::unique_ptr<Entry>> entries;
  public:
    Entry *find(int key) {
        std::shared_lock<std::shared_mutex> hold(lock);
        auto found = entries.find(key);
        return found == entries.end() ? nullptr : found->second.get();
    }
    void put(int key, int value) {
        std::unique_lock<std::shared_mutex> hold(lock);
        entries[key] = std::make_unique<Entry>(value);
    }
    void evict(int key) {
        std::unique_lock<std::shared_mutex> hold(lock);
        entries.erase(key);
    }
};
int main() {
    Cache cache;
    cache.put(7, 42);
    std::thread reader([&] {
        if (Entry *entry = cache.find(7))
            assert(entry->value == 42); //~ ERROR: use after free
    });
    std::thread writer([&] { cache.evict(7); });
    reader.join();
    writer.join();
    return 0;
}
