;; The functions of extism:host/env that move bytes, eight at most in a call, of which a Python function takes 15 µs.
;;
;; An offset has the number of a block in its upper half, and a position in that block in its lower half. The memory
;; begins with a table of the address and length of each block. Block 0 is empty, block 1 is the input. At the end of the
;; table, at 0xfff8, are the number and the address of the next block. The contents begin at 0x10000.
(module
  (memory (export "memory") 256 256)

  ;; Returns where the table has a block. Traps if there is no such block.
  (func $entry (param $offset i64) (result i32)
    (local $block i64)
    (local.set $block (i64.shr_u (local.get $offset) (i64.const 32)))
    (if (i64.ge_u (local.get $block) (i64.load32_u (i32.const 0xfff8))) (then (unreachable)))
    (i32.shl (i32.wrap_i64 (local.get $block)) (i32.const 3)))

  ;; Returns the address of some bytes. Traps if they are not all in one block.
  (func $address (param $offset i64) (param $size i64) (result i32)
    (local $entry i32)
    (local.set $entry (call $entry (local.get $offset)))
    (local.set $offset (i64.and (local.get $offset) (i64.const 0xffffffff)))
    (if (i64.gt_u (i64.add (local.get $offset) (local.get $size)) (i64.load32_u offset=4 (local.get $entry)))
      (then (unreachable)))
    (i32.add (i32.load (local.get $entry)) (i32.wrap_i64 (local.get $offset))))

  ;; Traps if the table or the memory is full.
  (func (export "alloc") (param $size i64) (result i64)
    (local $block i32) (local $address i64)
    (local.set $block (i32.load (i32.const 0xfff8)))
    (local.set $address (i64.load32_u (i32.const 0xfffc)))
    (if (i32.ge_u (local.get $block) (i32.const 0x1fff)) (then (unreachable)))
    (if (i64.gt_u (local.get $size) (i64.sub (i64.const 0x1000000) (local.get $address))) (then (unreachable)))
    (i64.store32 (i32.shl (local.get $block) (i32.const 3)) (local.get $address))
    (i64.store32 offset=4 (i32.shl (local.get $block) (i32.const 3)) (local.get $size))
    (i32.store (i32.const 0xfff8) (i32.add (local.get $block) (i32.const 1)))
    (i64.store32 (i32.const 0xfffc) (i64.add (local.get $address) (local.get $size)))
    (i64.shl (i64.extend_i32_u (local.get $block)) (i64.const 32)))

  (func (export "length") (param $offset i64) (result i64)
    (i64.load32_u offset=4 (call $entry (local.get $offset))))
  (func $load_u8 (export "load_u8") (param $offset i64) (result i32)
    (i32.load8_u (call $address (local.get $offset) (i64.const 1))))
  (func $load_u64 (export "load_u64") (param $offset i64) (result i64)
    (i64.load (call $address (local.get $offset) (i64.const 8))))
  (func (export "store_u8") (param $offset i64) (param $value i32)
    (i32.store8 (call $address (local.get $offset) (i64.const 1)) (local.get $value)))
  (func (export "store_u64") (param $offset i64) (param $value i64)
    (i64.store (call $address (local.get $offset) (i64.const 8)) (local.get $value)))
  (func (export "input_length") (result i64) (i64.load32_u (i32.const 12)))
  (func (export "input_load_u8") (param $at i64) (result i32)
    (call $load_u8 (i64.add (i64.const 0x100000000) (local.get $at))))
  (func (export "input_load_u64") (param $at i64) (result i64)
    (call $load_u64 (i64.add (i64.const 0x100000000) (local.get $at))))
  (func (export "http_status_code") (result i32) (i32.const 0)))
